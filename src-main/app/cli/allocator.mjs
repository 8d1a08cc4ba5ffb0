/**
 * Makes glibc return freed blocks to the system, which saves 40 MB after half an hour; it reads these variables only at
 * start. The launcher imports this file, so it must run on any Node.
 */

const LARGE_BYTES = 128 * 1024

/** @type {Readonly<Record<string, string>>} */
const SETTINGS = {
  // Larger blocks are separate mappings, which return to the system when freed. The threshold grows by itself unless it
  // is set.
  MALLOC_MMAP_THRESHOLD_: String(LARGE_BYTES),
  MALLOC_TRIM_THRESHOLD_: String(LARGE_BYTES),
  MALLOC_ARENA_MAX: '2',
}

// Lists the variables that were added.
const MARK = 'DRYDOCK_ALLOCATOR'

/**
 * @param {Pick<NodeJS.Process, 'env' | 'platform'>} process
 * @param {Readonly<Record<string, string>>} more variables to add
 * @returns {NodeJS.ProcessEnv | undefined} undefined if the user has set some of them, or if they have no effect here
 */
export function withAllocator({ env, platform }, more = {}) {
  const isSet = Object.keys(env).some((name) => name.startsWith('MALLOC_') || name === 'GLIBC_TUNABLES')
  if (platform !== 'linux' || isSet) return undefined
  const added = { ...SETTINGS, ...more }
  return { ...env, ...added, [MARK]: Object.keys(added).join(' ') }
}

/**
 * Removes the added variables, which workers must not inherit.
 * @param {NodeJS.ProcessEnv} env
 * @returns {boolean} whether this process was started with them
 */
export function takeAllocator(env) {
  const added = env[MARK]
  if (added === undefined) return false
  for (const name of [MARK, ...added.split(' ')]) delete env[name]
  return true
}
