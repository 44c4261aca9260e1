#pragma once

namespace tactus::cli {

/// From now on, a signal that ends the process (Ctrl-C, kill, a closed pipe, an abort) first
/// removes its temporary files. A hang-up that the process was started to ignore, as by nohup,
/// stays ignored.
void remove_temporary_files_on_signals();

/// Opens what the process was started without among standard input, output and error, so that no
/// other file takes its number; using it is still an error.
void reserve_standard_streams();

}  // namespace tactus::cli
