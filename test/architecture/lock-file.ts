/** The folders with a package.json and a lock file. */
export const PACKAGES = ['.', 'test', 'test/bench', 'resources/packaging', 'resources/pinned-node']

/** The parts of package-lock.json that the checks look at. */
export interface LockFile {
  readonly packages: Readonly<Record<string, LockedPackage>> & { readonly '': LockedPackage }
}

interface LockedPackage {
  readonly version?: string
  readonly resolved?: string
  readonly optional?: boolean
  readonly hasInstallScript?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

/** A package of another platform that a locked package may need there and the lock file does not name. */
export interface MissingPackage {
  readonly name: string
  readonly version: string
  readonly neededBy: string
}

/**
 * Finds the optional packages that the lock file leaves out. npm leaves out what the registry of the day did not have;
 * then `npm ci` of npm 11 refuses the file, and npm 10 on the platform in question never installs the package.
 */
export function missingPackages(lock: LockFile): MissingPackage[] {
  return Object.entries(lock.packages).flatMap(([path, { optionalDependencies }]) =>
    Object.entries(optionalDependencies ?? {})
      .filter(([name]) => !placesOf(path, name).some((place) => place in lock.packages))
      .map(([name, version]) => ({ name, version, neededBy: path })),
  )
}

/** Where Node would look for a package that the package at `path` imports, nearest first. */
function placesOf(path: string, name: string): string[] {
  const parents = path === '' ? [] : path.split('/node_modules/').map((_, index, parts) => parts.slice(0, index + 1))
  const nested = parents.map((parts) => `${parts.join('/node_modules/')}/node_modules/${name}`)
  return [...nested.reverse(), `node_modules/${name}`]
}

// Systems and processors in the names of platform packages, as in npm's fields `os` and `cpu`.
const SYSTEMS = ['android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'aix', 'win32']
const PROCESSORS = ['arm64', 'arm', 'x64', 'ia32', 'ppc64', 'riscv64', 's390x', 'loong64', 'mips64el']

/**
 * The entry of a platform package as npm would write it, without the hash: nobody here has seen the package.
 * @returns undefined when its name does not tell the platform or its version is a range.
 */
export function entryOf(missing: MissingPackage): Record<string, unknown> | undefined {
  const words = missing.name.split(/[/-]/)
  const os = SYSTEMS.find((system) => words.includes(system))
  const cpu = PROCESSORS.find((processor) => words.includes(processor))
  if (!os || !cpu || !/^\d+\.\d+\.\d+/.test(missing.version)) return undefined
  const libc = words.some((word) => word.startsWith('musl')) ? ['musl'] : os === 'linux' ? ['glibc'] : undefined
  return { version: missing.version, cpu: [cpu], dev: true, ...(libc && { libc }), optional: true, os: [os] }
}
