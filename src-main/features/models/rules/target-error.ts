export class TargetError extends Error {}
