from enum import IntEnum, auto


class ForwardMode(IntEnum):
    EXTEND = auto()
    DECODE = auto()
    MIXED = auto()
    IDLE = auto()


class ScheduleBatch:
    def __init__(self, mode, reqs, tokens):
        self.reqs = reqs
        self.forward_mode = mode
        self.extend_num_tokens = tokens


class Scheduler:
    def __init__(self, launch):
        self.launch = launch

    def run_batch(self, batch):
        self.launch()
        self.launch()


def run(launch, wait):
    scheduler = Scheduler(launch)
    for mode, count, tokens in ((ForwardMode.EXTEND, 15, 15360), (ForwardMode.DECODE, 15, None),
                                (ForwardMode.DECODE, 15, None), (ForwardMode.MIXED, 16, 527)):
        scheduler.run_batch(ScheduleBatch(mode, [object()] * count, tokens))
        wait()
