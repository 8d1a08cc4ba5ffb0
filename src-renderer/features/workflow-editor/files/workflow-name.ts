/** The longest name of a workflow, in characters. Source: contract/workflows. */
export const NAME_MAX = 200

/** A name that the library takes: a long one is cut, and its ending is kept. */
export const workflowName = (name: string, ending = ''): string => name.slice(0, NAME_MAX - ending.length) + ending
