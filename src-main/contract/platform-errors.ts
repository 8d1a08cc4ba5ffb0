export const PLATFORM_ERRORS = {
  TEMPLATE_NOT_FOUND: {
    status: 404,
    message: 'There is no template {templateId}. List the templates with GET /v2/templates.',
  },
  VOLUME_NOT_FOUND: {
    status: 404,
    message: 'There is no network volume {volumeId}. List them with GET /v2/network-volumes.',
  },
  POD_NOT_FOUND: {
    status: 404,
    message: 'There is no pod {podId}. List the pods with `drydock pod list`.',
  },
  CATALOG_ENTRY_NOT_FOUND: {
    status: 404,
    message: 'The catalog of this machine has no {what} {id}. List them with GET {path}.',
  },
  NAME_TAKEN: {
    status: 409,
    message: 'A {what} named {name} already exists. Choose another name.',
  },
  IN_USE: {
    status: 400,
    message: 'The {what} {name} is used by {users}. Change or delete that first.',
  },
  CANNOT_APPLY: { status: 422, message: '{field}: {why}.' },
  NOT_ON_THIS_MACHINE: {
    status: 501,
    message: 'This service runs on one machine and has no {what}: {why}.',
  },
  UPLOAD_UNKNOWN: {
    status: 404,
    message: 'This upload address is not valid: it is unknown, already used, or expired. Deploy again.',
  },
  TASK_NOT_FOUND: {
    status: 404,
    message: 'There is no task call at this address: it has ended, or was never started. Call the task again.',
  },
  TASK_ALREADY_SENT: {
    status: 409,
    message: 'This task call already has its request. Start another call.',
  },
  SIGN_IN_NOT_FOUND: {
    status: 404,
    message: 'No program is waiting to be signed in at this address. Start `rp login` again.',
  },
} as const
