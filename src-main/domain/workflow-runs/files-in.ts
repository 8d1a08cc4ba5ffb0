// Endings of what nodes load: an input of a sampler never looks like it.
const MEDIA_FILE = /\.(?:png|jpe?g|webp|gif|avif|bmp|svg|mp4|webm|mov|mkv|mp3|ogg|flac|wav|m4a|txt|glb|latent)$/i
const LENGTH_MAX = 255
const FILES_MAX = 1000

/**
 * Texts within JSON that may be names of files which nodes load, so that these files are kept. `a.png [input]` names the
 * folder of a file too.
 * @param value JSON of JavaScript, or that which keeps all
 */
export function filesIn(value: unknown): readonly string[] {
  const found = new Set<string>()
  const look = (one: unknown): void => {
    if (found.size >= FILES_MAX) return
    if (typeof one === 'string') {
      const name = one.length > 2 * LENGTH_MAX ? one : withoutFolder(one)
      if (name.length <= LENGTH_MAX && MEDIA_FILE.test(name)) found.add(name)
    } else if (typeof one === 'object' && one !== null)
      for (const inner of one instanceof Map ? one.values() : Object.values(one)) look(inner)
  }
  look(value)
  return [...found]
}

// Nodes may name the folder behind a file.
function withoutFolder(value: string): string {
  return value.replace(/ \[(?:input|output|temp)\]$/, '').trim()
}
