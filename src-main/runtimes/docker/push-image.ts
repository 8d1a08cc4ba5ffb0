import type Docker from 'dockerode'
import { sizeText } from '../../lib/text.ts'
import type { Watch } from '../port.ts'
import { type RegistryLogin, registryOf, splitImage } from './docker-login.ts'
import { type EngineMessage, engineMessage, readMessages, shortened } from './engine-messages.ts'

export async function pushImage(
  docker: Docker,
  image: string,
  { login, report, signal }: Watch & { readonly login: RegistryLogin | undefined },
): Promise<string> {
  const { fromImage, tag } = splitImage(image)
  const progress = createPushProgress(image)
  let digest: string | undefined
  report(`pushing ${image}`)
  try {
    const stream = await docker.getImage(fromImage).push({ tag, authconfig: login, abortSignal: signal })
    for await (const message of readMessages(stream)) {
      if (message.error !== undefined) throw new Error(shortened(message.error))
      if (typeof message.aux === 'object') digest = message.aux.Digest ?? digest
      report(progress(message))
    }
  } catch (error) {
    signal.throwIfAborted()
    const why = engineMessage(error).replace(/\.$/, '')
    const advice = /denied|unauthorized|authentication|credentials/i.test(why)
      ? `Store credentials that may push to ${registryOf(image)}: drydock registry add NAME --server ${registryOf(image)} --username USER`
      : 'Check the name and the registry'
    throw new Error(`the image ${image} could not be pushed: ${why}. ${advice}`, { cause: error })
  }
  if (digest === undefined) throw new Error(`the registry of ${image} gave no digest`)
  return digest
}

const UPLOADED = ['Pushed', 'Layer already exists']

function createPushProgress(image: string): (message: EngineMessage) => string {
  const layers = new Map<string, { readonly sent: number; readonly isThere: boolean }>()
  return ({ id, status = '', progressDetail }) => {
    if (id !== undefined && id.length < 64) {
      const { sent, isThere } = layers.get(id) ?? { sent: 0, isThere: false }
      layers.set(id, { sent: progressDetail?.current ?? sent, isThere: isThere || UPLOADED.includes(status) })
    }
    const all = [...layers.values()]
    const there = all.filter(({ isThere }) => isThere).length
    const sent = all.reduce((sum, layer) => sum + layer.sent, 0)
    return `pushing ${image}: ${there} of ${all.length} layers, ${sizeText(sent)} sent`
  }
}
