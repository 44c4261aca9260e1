from dataclasses import dataclass, field


@dataclass
class SchedulerOutput:
    scheduled_new_reqs: list = field(default_factory=list)
    num_scheduled_tokens: dict = field(default_factory=dict)
    total_num_scheduled_tokens: int = 0
    scheduled_spec_decode_tokens: dict = field(default_factory=dict)


class GPUModelRunner:
    def __init__(self, launch):
        self.launch = launch

    def forward(self):
        self.launch()

    def execute_model(self, scheduler_output, intermediate_tensors=None):
        self.launch()
        for _ in range(3):
            self.forward()
        self.launch()


def name(i):
    return "-".join(("request", str(i)))  # a new object each time, as in another process


def run(launch, wait):
    runner = GPUModelRunner(launch)
    # tokens of each request, and which have how many drafts
    for tokens, drafts in (([7, 512], {}), ([1, 1, 300], {}), ([1, 1, 1], {}), ([1, 1, 1], {}), ([1, 1], {}),
                           ([4, 4, 4], {0: 3, 1: 3, 2: 3}), ([1, 4], {1: 3}), ([4, 4, 4], {2: 3, 0: 3}),
                           ([4, 4], {0: 3, 7: 3})):
        output = SchedulerOutput(num_scheduled_tokens={name(i): n for i, n in enumerate(tokens)},
                                 total_num_scheduled_tokens=sum(tokens),
                                 scheduled_spec_decode_tokens={name(i): [-1] * n for i, n in drafts.items()})
        runner.execute_model(output)
        wait()
