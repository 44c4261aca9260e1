class PlainRequest:
    def __init__(self, query_length):
        self.query_length = query_length


class FutureRequestState:
    __slots__ = ("has_new_token", "query_length", "state")

    def __init__(self, query_length):
        self.state = None
        self.has_new_token = True
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
    """First as older versions keep a batch, then as newer ones do."""
    processor = ContinuousBatchProcessor(launch)
    for request, total in ((PlainRequest, "actual_query_length"), (FutureRequestState, "total_seqlen_q")):
        for lengths in ([100, 50], [1, 1], [1, 1], [1, 40]):
            processor.inputs_and_outputs.requests_in_batch = [request(n) for n in lengths]
            setattr(processor.inputs_and_outputs, total, sum(lengths))
            processor._generation_step(None)
            wait()
