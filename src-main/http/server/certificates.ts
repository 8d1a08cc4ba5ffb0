/**
 * Certificates for clients that require https, like the platform's package. A private CA in the data folder signs one
 * per requested name; nothing trusts it until a user configures a program.
 */
import { X509Certificate } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createSecureContext, getCACertificates, rootCertificates, type SecureContext } from 'node:tls'
import { HOST_OF_CONTAINERS, LOOPBACK } from '../../lib/own-addresses.ts'

// Long-running programs see no renewal; source: ours, as for other local authorities.
const YEARS = 10
const NAMES_KEPT = 1000
// Names that always resolve to this machine, for its programs and containers.
const OWN_NAME = new RegExp(`^(?:[a-z0-9-]+\\.)?(?:localhost|${HOST_OF_CONTAINERS.replaceAll('.', '\\.')})$`, 'i')

export async function findCertificates(data: string): Promise<{ readonly authority: string; readonly bundle: string }> {
  const folder = join(data, 'tls')
  const files = { authority: join(folder, 'authority.pem'), bundle: join(folder, 'bundle.pem') }
  if (existsSync(files.bundle)) return files
  const begun = await mkdtemp(join(data, '.tls-'))
  try {
    const { cert, private: key } = await signed('Drydock on this machine', undefined)
    await writeFile(join(begun, 'authority.key'), key, { mode: 0o600, flush: true })
    await writeFile(join(begun, 'authority.pem'), cert, { flush: true })
    const bundle = join(begun, 'bundle.pem')
    await writeFile(bundle, [cert.trim(), ...trusted(), ''].join('\n'), { flush: true })
    await chmod(bundle, 0o644) // readable by all, because a container may run as any user
    await rename(begun, folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
    })
  } finally {
    await rm(begun, { recursive: true, force: true })
  }
  return files
}

// Includes authorities this machine adds, as a company's own; each once.
function trusted(): readonly string[] {
  const all = [...getCACertificates('extra'), ...getCACertificates('system'), ...rootCertificates]
  return [...new Map(all.map((pem) => [pem.replaceAll(/\s/g, ''), pem.trim()])).values()]
}

export type CertificatePair = { readonly cert: string; readonly key: string }

export type SecureContexts = {
  readonly named: (name: string) => Promise<SecureContext>
  readonly unnamed: CertificatePair
  /** SHA-256 of the certificate clients pin: the last in the chain, which stays when others are renewed. */
  readonly fingerprint: string
}

export async function openSecureContexts(
  data: string,
  network: {
    readonly hosts: ReadonlySet<string>
    readonly addresses: readonly string[]
    readonly given: CertificatePair | undefined
  },
): Promise<SecureContexts> {
  const { given, addresses, hosts } = network
  const unnamed = given ?? (await signedPair(data, 'localhost', addresses))
  const context = createSecureContext(unnamed)
  const ofThisMachine = createSecureContexts(data, hosts)
  const last = unnamed.cert.split(/(?=-----BEGIN CERTIFICATE-----)/).at(-1) ?? ''
  return {
    named: (name) => (given !== undefined && !OWN_NAME.test(name) ? Promise.resolve(context) : ofThisMachine(name)),
    unnamed,
    fingerprint: new X509Certificate(last).fingerprint256,
  }
}

async function signedPair(data: string, name: string, addresses: readonly string[] = []): Promise<CertificatePair> {
  const { authority } = await findCertificates(data)
  const cert = await readFile(authority, 'utf8')
  const key = await readFile(join(data, 'tls', 'authority.key'), 'utf8')
  const leaf = await signed(name, { cert, key, addresses })
  return { cert: `${leaf.cert}\n${cert}`, key: leaf.private }
}

export function createSecureContexts(
  data: string,
  hosts: ReadonlySet<string> = new Set(),
): (name: string) => Promise<SecureContext> {
  const contexts = new Map<string, Promise<SecureContext>>()
  const make = async (name: string) => createSecureContext(await signedPair(data, name))

  return (asked) => {
    const name = asked === '' ? 'localhost' : asked.toLowerCase()
    if (!OWN_NAME.test(name) && !hosts.has(name)) return Promise.reject(new Error('not a name of this machine'))
    const context = contexts.get(name) ?? make(name)
    const [oldest] = contexts.keys()
    if (contexts.size >= NAMES_KEPT && oldest !== undefined) contexts.delete(oldest)
    contexts.set(name, context)
    context.catch(() => contexts.delete(name))
    return context
  }
}

// Loaded on demand, because most services are never asked for a certificate.
async function signed(name: string, ca: (CertificatePair & { readonly addresses: readonly string[] }) | undefined) {
  const { generate } = await import('selfsigned')
  const now = new Date()
  const end = new Date(now)
  end.setFullYear(now.getFullYear() + YEARS)
  return await generate([{ name: 'commonName', value: name }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: now,
    notAfterDate: end,
    extensions:
      ca === undefined
        ? [
            { name: 'basicConstraints', cA: true, pathLenConstraint: 0, critical: true },
            { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
          ]
        : [
            { name: 'basicConstraints', cA: false, critical: true },
            { name: 'keyUsage', digitalSignature: true, critical: true },
            { name: 'extKeyUsage', serverAuth: true },
            {
              name: 'subjectAltName',
              altNames: [
                { type: 2, value: name },
                ...[LOOPBACK, ...ca.addresses].map((ip) => ({ type: 7 as const, ip })),
              ],
            },
          ],
    ...(ca === undefined ? {} : { ca }),
  })
}
