/** The errors of machines; see contract/errors.ts. Source: docs/spec/machines.md. */
export const MACHINE_ERRORS = {
  MACHINE_NOT_FOUND: {
    status: 404,
    title: 'Not Found',
    message: 'There is no machine {machine}. Add it with `drydock machine add {machine} --ssh USER@HOST`.',
  },
  MACHINE_EXISTS: {
    status: 409,
    title: 'Conflict',
    message: 'There is a machine {machine} already. Remove it first, or choose another name.',
  },
  TOO_MANY_MACHINES: {
    status: 409,
    title: 'Conflict',
    message: 'There are {limit} machines, and no more can be added. Remove one first.',
  },
  MACHINE_REFUSED: { status: 409, title: 'Conflict', message: 'Machine {machine} cannot do this: {why}.' },
} as const
