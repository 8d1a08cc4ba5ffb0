export const MACHINE_ERRORS = {
  MACHINE_NOT_FOUND: {
    status: 404,
    message: 'There is no machine {machine}. Add it with `drydock machine add {machine} --ssh USER@HOST`.',
  },
  MACHINE_EXISTS: {
    status: 409,
    message: 'A machine {machine} already exists. Remove it first, or choose another name.',
  },
  TOO_MANY_MACHINES: {
    status: 409,
    message: 'The limit of {limit} machines is reached. Remove one first.',
  },
  MACHINE_REFUSED: { status: 409, message: 'Machine {machine} cannot do this: {why}.' },
} as const

/** Errors that concern named keys; see contract/errors.ts for their form. Source: ours. */
export const KEY_ERRORS = {
  FORBIDDEN_ROLE: {
    status: 403,
    message: 'The key {name} has the role {role}, but this needs {needed}. Ask for a key with that role.',
  },
  KEY_EXISTS: {
    status: 409,
    message: 'A key named {name} already exists. Revoke it first, or choose another name.',
  },
  KEY_NOT_FOUND: {
    status: 404,
    message: 'There is no key named {name}. List them with `drydock key list`.',
  },
  TOO_MANY_KEYS: {
    status: 409,
    message: 'The limit of {limit} keys is reached. Revoke one that is no longer used.',
  },
} as const

export const TARGET_ERRORS = {
  IMAGE_PUSH_NOT_FOUND: { status: 404, message: 'There is no push {push} of an image. Push it again.' },
  TARGET_NOT_FOUND: {
    status: 404,
    message: 'There is no target {target}. Add it with `drydock target add {target} --url URL`.',
  },
  TARGET_DEPLOY_NOT_FOUND: {
    status: 404,
    message: 'There is no deploy {deploy} to a target. Deploy again with `drydock deploy --target NAME`.',
  },
  TARGET_BUSY: {
    status: 409,
    message: 'A deploy to {app}/{environment} of target {target} is running. Wait for it, or cancel it.',
  },
  TARGET_UNREACHABLE: {
    status: 502,
    message: 'The target at {url} does not answer: {why}. Check the URL and that the service is running.',
  },
  TARGET_REFUSED: { status: 502, message: 'The target at {url} refused: {why}' },
  KEY_IN_APP: {
    status: 422,
    message:
      'Endpoint {endpoint} would get an account key in its variable {variable}. Take it out of the app, or allow it with --with-key.',
  },
} as const
