class FutureRequestState:
    __slots__ = ("state", "has_new_token", "complete_blocks", "query_length")

    def __init__(self, query_length):
        self.query_length = query_length


class ContinuousBatchingIOs:
    def __init__(self):
        self.requests_in_batch = []


class ContinuousBatchProcessor:
    def __init__(self, launch):
        self.inputs_and_outputs = ContinuousBatchingIOs()
        self.launch = launch

    def _generation_step(self, model):
        self.launch()
        self.launch()


def run(launch, wait):
    processor = ContinuousBatchProcessor(launch)
    for lengths in ([100, 50], [1, 1], [1, 1], [1, 40]):
        processor.inputs_and_outputs.requests_in_batch = [FutureRequestState(n) for n in lengths]
        processor._generation_step(None)
        wait()
