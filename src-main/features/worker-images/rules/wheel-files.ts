/** Which wheels run in the image: Linux x86_64 and one Python. Source: PEP 425, PEP 600. */

export type WheelFile = {
  readonly name: string
  readonly version: string
  readonly pythons: readonly string[]
  readonly abis: readonly string[]
  readonly platforms: readonly string[]
}

const WHEEL = /([^/\\#?]+?)-([^-/]+)(?:-\d[^-]*)?-([^-]+)-([^-]+)-([^-]+)\.whl(?:[?#].*)?$/
const LINUX = /^(?:any|linux_x86_64|manylinux(?:1|2010|2014|_\d+_\d+)_x86_64)$/

export function readWheelName(address: string): WheelFile | undefined {
  const found = WHEEL.exec(decode(address))
  if (found === null) return undefined
  const [, name = '', version = '', pythons = '', abis = '', platforms = ''] = found
  return { name, version, pythons: pythons.split('.'), abis: abis.split('.'), platforms: platforms.split('.') }
}

export function wheelMisfit(wheel: WheelFile, python: string): 'platform' | 'python' | undefined {
  if (!wheel.platforms.some((platform) => LINUX.test(platform))) return 'platform'
  const minor = Number(/^3\.(\d+)/.exec(python)?.[1])
  const fits = wheel.pythons.some((tag) => {
    const [, kind, version = ''] = /^(py|cp)3(\d*)$/.exec(tag) ?? []
    if (kind === undefined) return false
    if (version === '') return true
    const stable = kind === 'py' || wheel.abis.includes('abi3')
    return stable ? Number(version) <= minor : Number(version) === minor
  })
  return fits ? undefined : 'python'
}

function decode(address: string): string {
  return address.replace(/%2B/gi, '+')
}
