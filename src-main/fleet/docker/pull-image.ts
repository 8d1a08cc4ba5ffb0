import type Docker from 'dockerode'
import type { Watch } from '../../services/ports/fleet.ts'
import type { RegistryLogin } from './docker-login.ts'
import { readTold } from './engine-stream.ts'
import { engineWords, shortened } from './engine-words.ts'
import { splitImage } from './image-name.ts'
import { createPullProgress } from './pull-progress.ts'

/**
 * Pulls an image. An abort ends the download: the engine stops it when nobody listens.
 * @throws Error with the engine's words, or the reason of the signal
 */
export async function pullImage(
  docker: Docker,
  image: string,
  { login, tell, signal }: Watch & { readonly login: RegistryLogin | undefined },
): Promise<void> {
  const progress = createPullProgress(image)
  tell(`pulling ${image}`)
  try {
    const stream = await docker.createImage(login, { ...splitImage(image), abortSignal: signal })
    for await (const told of readTold(stream)) {
      if (told.error !== undefined) throw new Error(shortened(told.error))
      const words = progress(told)
      if (words !== undefined) tell(words)
    }
  } catch (error) {
    signal.throwIfAborted()
    throw new Error(engineWords(error), { cause: error })
  }
}
