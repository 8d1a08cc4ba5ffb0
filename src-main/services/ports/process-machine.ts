/** What apps on processes find on this machine, where containers would bring it along. */
export type ProcessMachine = {
  /** Interpreter of the service's settings, which runs handlers. */
  readonly python: () => string
  /**
   * Which of these requirements that Python lacks, or has in another version.
   * @param requirements requirement strings; conditions that do not hold there are met
   * @returns those of them, in their order; all of them where Python cannot be asked
   */
  readonly missingPackages: (requirements: readonly string[]) => Promise<readonly string[]>
  /** Why a folder cannot be put at a path; undefined: it can, or it is there. Nothing is changed. */
  readonly whyNotAt: (path: string, folder: string) => Promise<string | undefined>
  /** Puts a folder at a path, as a link, where it is not there yet and that is allowed. */
  readonly putAt: (path: string, folder: string) => Promise<void>
}
