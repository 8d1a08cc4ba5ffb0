/** What the exit code of every command means; scripts rely on it. */
export const EXIT_CODES = {
  ok: 0,
  failed: 1,
  usage: 2,
  serviceNotReachable: 3,
  jobNotSuccessful: 4,
  refused: 5,
} as const

/** One of the exit codes of the command line. */
export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES]

/** The table as `drydock --help` shows it. */
export const EXIT_CODE_HELP = `Exit codes:
  0  done
  1  failed
  2  wrong use of the command
  3  the service is not reachable
  4  the job ended without success
  5  refused: the data folder is in use, the port is taken, files would be overwritten, or something would be deleted`
