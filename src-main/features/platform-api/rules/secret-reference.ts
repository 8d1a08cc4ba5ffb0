/** A reference to an account secret in a variable. Source: the public package runpod 2.0, its secrets. */
export const SECRET_REFERENCE: RegExp = /\{\{\s*RUNPOD_SECRET_([A-Za-z0-9_.-]+)\s*\}\}/g
