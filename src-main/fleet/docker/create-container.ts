import type Docker from 'dockerode'
import { engineWords } from './engine-words.ts'

// A name is no more than a help to whoever reads it. Source: the engine's words.
const NAME_TAKEN = /name .* is already in use/i
// On overlay2 it takes a file system with project quotas, which few machines have. Source: the engine's words.
const NO_DISK_LIMIT = /storage-opt|storage driver|pquota|project quota/i

/**
 * Makes a container. An engine that cannot limit its disk makes it without that limit: an endpoint that runs is worth
 * more than one limit, and the other ones hold. A name that is taken is left out likewise.
 * @param onNoDiskLimit hears why there is none
 */
export async function createContainer(
  docker: Pick<Docker, 'createContainer'>,
  options: Docker.ContainerCreateOptions,
  onNoDiskLimit: (why: string) => void,
): Promise<Docker.Container> {
  try {
    return await docker.createContainer(options)
  } catch (error) {
    const words = engineWords(error)
    if (options.name !== undefined && NAME_TAKEN.test(words)) {
      // Of one whose making was cut off: the sweep removes it, and this worker does not wait for that.
      const { name: _taken, ...unnamed } = options
      return createContainer(docker, unnamed, onNoDiskLimit)
    }
    const { StorageOpt, ...others } = options.HostConfig ?? {}
    if (StorageOpt === undefined || !NO_DISK_LIMIT.test(words)) throw error
    onNoDiskLimit(words)
    return createContainer(docker, { ...options, HostConfig: others }, onNoDiskLimit)
  }
}
