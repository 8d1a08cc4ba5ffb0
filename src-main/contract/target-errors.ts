/** The errors of deploys to other services; see contract/errors.ts. Source: docs/spec/platform.md, 8. */
export const TARGET_ERRORS = {
  TARGET_NOT_FOUND: {
    status: 404,
    title: 'Not Found',
    message: 'There is no target {target}. Add it with `drydock target add {target} --url URL`.',
  },
  TARGET_DEPLOY_NOT_FOUND: {
    status: 404,
    title: 'Not Found',
    message: 'There is no deploy {deploy} to a target. Deploy again with `drydock deploy --target NAME`.',
  },
  TARGET_BUSY: {
    status: 409,
    title: 'Conflict',
    message: 'A deploy to {app}/{environment} of target {target} is running. Wait for it, or cancel it.',
  },
  TARGET_UNREACHABLE: {
    status: 502,
    title: 'Bad Gateway',
    message: 'The target at {url} does not answer: {why}. Check the address, and that it runs.',
  },
  TARGET_REFUSED: { status: 502, title: 'Bad Gateway', message: 'The target at {url} refused: {why}' },
  KEY_IN_APP: {
    status: 422,
    title: 'Unprocessable Content',
    message:
      'Endpoint {endpoint} would get an account key in its variable {variable}. Take it out of the app, or allow it with --with-key.',
  },
} as const
