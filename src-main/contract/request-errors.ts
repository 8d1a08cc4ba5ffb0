export const REQUEST_ERRORS = {
  SCHEDULE_NOT_FOUND: {
    status: 404,
    message: 'Endpoint {endpointId} has no schedule {schedule}. List them with `drydock schedule list`.',
  },
  SCHEDULE_EXISTS: {
    status: 409,
    message: 'Endpoint {endpointId} already has a schedule named {schedule}. Choose another name, or delete it first.',
  },
  TOO_MANY_SCHEDULES: {
    status: 409,
    message: 'Endpoint {endpointId} has {limit} schedules, which is the limit. Delete one first.',
  },
  BATCH_NOT_FOUND: {
    status: 404,
    message: 'There is no batch {batchId}. List them with `drydock batch list`.',
  },
  BATCH_CLOSED: {
    status: 409,
    message: 'Batch {batchId} takes no more inputs: it {why}. Nothing more was added; submit them as a new batch.',
  },
  BATCH_INCOMPLETE: {
    status: 409,
    message: 'Batch {batchId} is missing {unsent} of its inputs. Send them, then finalize it.',
  },
  BATCH_FULL: {
    status: 409,
    message:
      'A batch can hold {limit} requests, and this one would have {total}. Nothing was added; use another batch.',
  },
  TOO_MANY_BATCHES: {
    status: 429,
    message:
      'Endpoint {endpointId} has {count} active batches ({named}), and the limit is {limit}. Wait until one has ended, or cancel one with POST /v2/{endpointId}/batch/ID/cancel or `drydock batch cancel ID`. A draft counts until it is cancelled or deleted.',
  },
  QUEUE_FULL: {
    status: 429,
    message:
      'Endpoint {endpointId} would have {total} waiting jobs, and the limit is {limit}. Finalize batch {batchId} later.',
  },
  PENDING_ACTION_NOT_FOUND: {
    status: 404,
    message: 'There is no delayed bulk action {actionId}.',
  },
  PENDING_ACTION_OVER: {
    status: 409,
    message: 'The bulk action can no longer be undone ({state}).',
  },
  TOO_MANY_PENDING_ACTIONS: {
    status: 409,
    message: '{limit} bulk actions wait already, which is the limit. Wait until one of them has been carried out.',
  },
  SAVED_REQUEST_NOT_FOUND: {
    status: 404,
    message: 'Endpoint {endpointId} has no saved request {savedRequestId}: it was deleted.',
  },
  SAVED_REQUEST_EXISTS: {
    status: 409,
    message: 'Endpoint {endpointId} already has a saved request named {name}. Choose another name, or replace it.',
  },
  LOAD_TEST_NOT_FOUND: {
    status: 404,
    message: 'Endpoint {endpointId} has no load test {loadTestId}: it is unknown, or newer ones have replaced it.',
  },
  LOAD_TEST_RUNNING: {
    status: 409,
    message:
      "A load test of endpoint {endpointId} is already running. Wait until it ends, or stop it with `drydock load-test stop {endpointId}`: concurrent load tests would distort each other's results.",
  },
  COMPARISON_NOT_FOUND: {
    status: 404,
    message: 'There is no comparison {comparisonId}. List them with `drydock compare list`.',
  },
  TOO_MANY_COMPARISONS: {
    status: 409,
    message: '{limit} comparisons are running, which is the limit. Wait until one ends, or stop it.',
  },
  WHAT_IF_BUSY: {
    status: 429,
    message: 'Other what-if questions are still being answered. Ask again when they are.',
  },
} as const
