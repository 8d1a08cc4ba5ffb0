export const PROGRESS_MARK = 'progress: '
/** Set to `lines`, commands write their progress to stderr as marked lines, also in JSON mode. */
export const PROGRESS_VARIABLE = 'DRYDOCK_PROGRESS'

/** Set to `yes`, the end of standard input stops a command, as when the service that started it was killed. */
export const END_VARIABLE = 'DRYDOCK_END_WITH_INPUT'
