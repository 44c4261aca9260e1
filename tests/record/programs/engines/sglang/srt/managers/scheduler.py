from enum import IntEnum, auto


class ForwardMode(IntEnum):
    EXTEND = auto()
    DECODE = auto()
    MIXED = auto()
    IDLE = auto()


class ScheduleBatch:
    def __init__(self, mode, reqs, tokens, extend_lens=None, decoding_reqs=None):
        self.reqs = reqs
        self.forward_mode = mode
        self.extend_num_tokens = tokens
        self.extend_lens = extend_lens
        self.decoding_reqs = decoding_reqs


class Scheduler:
    def __init__(self, launch):
        self.launch = launch

    def run_batch(self, batch):
        self.launch()
        self.launch()


def mixed(lengths, generating, lists):
    """Prompts in front of those that generate."""
    reqs = [object() for _ in lengths]
    return ScheduleBatch(ForwardMode.MIXED, reqs, sum(lengths), lengths if "lengths" in lists else None,
                         reqs[-generating:] if "generating" in lists else None)


def run(launch, wait):
    scheduler = Scheduler(launch)
    for mode, count, tokens in ((ForwardMode.EXTEND, 15, 15360), (ForwardMode.DECODE, 15, None),
                                (ForwardMode.DECODE, 15, None)):
        scheduler.run_batch(ScheduleBatch(mode, [object()] * count, tokens))
        wait()
    for batch in (mixed([512] + [1] * 15, 15, ("lengths", "generating")),
                  mixed([513, 1] + [1] * 15, 15, ("lengths", "generating")),
                  mixed([512] + [1] * 15, 15, ("lengths",)),
                  mixed([512] + [1] * 15, 15, ())):
        scheduler.run_batch(batch)
        wait()
