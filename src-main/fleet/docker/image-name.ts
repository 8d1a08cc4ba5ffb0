/** Host of Docker Hub, under the name that people use for it. */
const DOCKER_HUB = 'docker.io'
const HUB_NAMES = [DOCKER_HUB, 'index.docker.io', 'registry-1.docker.io']

/** The registry that an image is pulled from: `ghcr.io`, `127.0.0.1:5000`, or `docker.io` where its name says none. */
export function registryOf(image: string): string {
  const [first = '', ...more] = image.split('/')
  // Source: the engine's rule; anything else before a slash is a user of Docker Hub.
  const isHost = more.length > 0 && (first === 'localhost' || /[.:]/.test(first))
  return isHost ? registryName(first) : DOCKER_HUB
}

/** One name for each registry. @param server a host, or an address as `docker login` stores it */
export function registryName(server: string): string {
  const host = server.replace(/^https?:\/\//, '').split('/', 1)[0] ?? ''
  return HUB_NAMES.includes(host) ? DOCKER_HUB : host
}

/** An image as the engine wants it named for a pull: a tag or a digest apart. */
export function splitImage(image: string): { readonly fromImage: string; readonly tag: string } {
  const at = image.indexOf('@')
  if (at >= 0) return { fromImage: image.slice(0, at), tag: image.slice(at + 1) }
  const colon = image.lastIndexOf(':')
  // A colon before a slash is that of a port.
  if (colon < 0 || image.includes('/', colon)) return { fromImage: image, tag: 'latest' }
  return { fromImage: image.slice(0, colon), tag: image.slice(colon + 1) }
}
