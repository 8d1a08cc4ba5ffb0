"""The handler that does nothing in LitServe. Argument: port."""

import sys

import litserve
from no_op import handler


class NoOp(litserve.LitAPI):
    def setup(self, device):
        pass

    def decode_request(self, request):
        return request["input"]

    def predict(self, x):
        return handler(x)

    def encode_response(self, output):
        return output


if __name__ == "__main__":
    litserve.LitServer(NoOp(), accelerator="cpu", workers_per_device=1).run(
        host="127.0.0.1", port=int(sys.argv[1]), generate_client_file=False
    )
