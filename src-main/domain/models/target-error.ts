/** Why a file cannot be written, for a person; it stays so until somebody does something. */
export class TargetError extends Error {}
