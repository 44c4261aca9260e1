#pragma once

namespace tactus {

/// From now on this process and its threads cannot start processes, reach no memory of others and
/// cannot handle signals: such calls fail. Then a kernel works in its calls, and in threads whose
/// processor time is counted. False if the system cannot do that.
bool confine_candidate();

/// From now on other processes of the same user cannot look into this one.
void hide_process();

}  // namespace tactus
