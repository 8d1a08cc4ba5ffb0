import type Docker from 'dockerode'
import { engineWords } from './engine-words.ts'

// On overlay2 it takes a file system with project quotas, which few machines have. Source: the engine's words.
const NO_DISK_LIMIT = /storage-opt|storage driver|pquota|project quota/i

/**
 * Makes a container. An engine that cannot limit its disk makes it without that limit: an endpoint that runs is worth
 * more than one limit, and the other ones hold.
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
    const { StorageOpt, ...others } = options.HostConfig ?? {}
    if (StorageOpt === undefined || !NO_DISK_LIMIT.test(engineWords(error))) throw error
    onNoDiskLimit(engineWords(error))
    return docker.createContainer({ ...options, HostConfig: others })
  }
}
