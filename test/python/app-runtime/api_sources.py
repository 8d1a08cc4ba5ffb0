"""Apis that tests serve, deployed and live."""

COUNTER = """
    import runpod
    app = runpod.App("shop")

    @app.api(cpu="cpu3c-1-2")
    class Counter:
        @runpod.init
        ASYNCdef setup(self):
            self.count = 0
            print("counter ready")

        @runpod.post("/bump")
        async def bump(self, body: dict):
            self.count += body.get("by", 1)
            return {"count": self.count}

        @runpod.get("/value")
        def value(self):
            return {"count": self.count}

        @runpod.get("/items/{name}")
        def item(self, name: str, times: int = 1):
            return name * times

        @runpod.get("/broken")
        def broken(self):
            raise ValueError("asked to break")
"""

WEB = """
    import contextlib
    import runpod
    app = runpod.App("shop")

    @app.api(name="web", cpu="cpu3c-1-2")
    def make():
        from fastapi import FastAPI, Request
        from fastapi.responses import StreamingResponse

        @contextlib.asynccontextmanager
        async def life(app):
            print("web starts", flush=True)
            yield {"greeting": "hello"}
            print("web ends", flush=True)

        web = FastAPI(lifespan=life)

        @web.get("/greet/{name}")
        async def greet(name: str, request: Request):
            return f"{request.state.greeting} {name}"

        @web.get("/tokens")
        def tokens():
            return StreamingResponse((f"{word}\\n" for word in ("alpha", "beta")), media_type="text/plain")

        @web.post("/size")
        async def size(request: Request):
            return len(await request.body())

        return web
"""


def plain(source: str) -> str:
    """The source of the class whose `@init` is not async."""
    return source.replace("ASYNC", "")
