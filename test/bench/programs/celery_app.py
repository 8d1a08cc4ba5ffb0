"""The handler that does nothing as a task of Celery. REDIS_URL: where jobs and results are."""

import os

from celery import Celery
from no_op import handler

app = Celery("celery_app", broker=os.environ["REDIS_URL"], backend=os.environ["REDIS_URL"])
# A job stays in Redis until it has its result.
app.conf.update(task_acks_late=True, worker_prefetch_multiplier=1)


@app.task(name="no_op")
def no_op(given):
    return handler({"input": given})
