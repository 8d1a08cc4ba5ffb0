"""An app in the form of 2.0, for app-runtime.test.ts."""

import runpod

app = runpod.App("shop")


@app.queue(cpu="cpu3c-1-2")
def greet(name: str):
    print(f"greeting {name}")
    return f"hello {name}"


@app.queue(cpu="cpu3c-1-2")
async def greet_async(name: str):
    return f"hello {name}"


@app.queue(cpu="cpu3c-1-2")
def count(n: int):
    yield from range(n)


@app.queue(cpu="cpu3c-1-2")
def broken():
    raise ValueError("asked to break")


@app.api(name="counter", cpu="cpu3c-1-2")
class Counter:
    @runpod.init
    def setup(self):
        self.count = 0

    @runpod.post("/bump")
    async def bump(self, body: dict):
        self.count += body.get("by", 1)
        return {"count": self.count}
