"""One of each kind that an App has."""

import runpod

# Scripts on this machine call what is deployed to `env`.
app = runpod.App({{name}}, env="production")


@app.queue(cpu="cpu3c-1-2", workers=(0, 2))
def greet(name: str = "world"):
    """A function: the fields of a job's input are its arguments."""
    return {"greeting": f"Hello, {name}!"}


@app.queue(cpu="cpu3c-1-2")
def countdown(start: int = 3):
    """A generator: its values are streamed."""
    for number in range(start, -1, -1):
        yield {"number": number}


@app.queue(cpu="cpu3c-1-2")
async def welcome(names: list[str]):
    """It calls another function, which runs on a worker of its own."""
    return {"welcome": [(await greet.remote.aio(name))["greeting"] for name in names]}


@app.api(name="words", cpu="cpu3c-1-2")
class Words:
    """Routes: the instance is made once per worker."""

    @runpod.init
    def load(self):
        self.small = {"a", "an", "the"}

    @runpod.get("/health")
    async def health(self):
        return {"status": "ok"}

    @runpod.post("/count")
    async def count(self, body: dict):
        words = [word for word in body.get("text", "").lower().split() if word not in self.small]
        return {"words": len(words)}


@app.task(cpu="cpu3c-1-2")
def report(text: str):
    """A task: each call runs on a worker of its own, which ends after it."""
    return {"letters": sum(letter.isalpha() for letter in text)}


@runpod.local_entrypoint
def main():
    """Runs on this machine and calls what runs on workers."""
    print(greet.remote(name="Ada"))
    print(report.remote("Hello there"))


if __name__ == "__main__":
    main()
