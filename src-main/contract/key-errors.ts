/** The errors of named keys; see contract/errors.ts. Source: ours. */
export const KEY_ERRORS = {
  FORBIDDEN_ROLE: {
    status: 403,
    title: 'Forbidden',
    message: 'The key {name} has the role {role}; this needs {needed}. Ask for a key with that role.',
  },
  KEY_EXISTS: {
    status: 409,
    title: 'Conflict',
    message: 'There already is a key named {name}. Revoke it first, or choose another name.',
  },
  KEY_NOT_FOUND: {
    status: 404,
    title: 'Not Found',
    message: 'There is no key named {name}. List them with `drydock key list`.',
  },
  TOO_MANY_KEYS: {
    status: 409,
    title: 'Conflict',
    message: 'There are {limit} keys, as many as there may be. Revoke one that is not used any more.',
  },
} as const
