/**
 * Certificates for clients that insist on https, as the platform's package does for load-balanced endpoints. An authority
 * of this service alone is made at the first need, in its data folder; it signs a certificate for each name that a
 * client asks for. Nothing trusts it by itself: a user leads a program to the file with its certificate.
 */
import { X509Certificate } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createSecureContext, getCACertificates, rootCertificates, type SecureContext } from 'node:tls'
import { HOST_OF_CONTAINERS, LOOPBACK } from '../domain/own-addresses.ts'

/** Files of the authority; absolute paths. */
export type CertificateFiles = {
  /** Its certificate alone. */
  readonly authority: string
  /** The same with the authorities that programs trust anyway: for programs that trust one file only. */
  readonly bundle: string
}

// Programs that keep on running see no other; source: ours, as for other local authorities.
const YEARS = 10
const NAMES_KEPT = 1000
// Names that lead to this machine, whoever looks them up: programs of it, and containers on it.
const OWN_NAME = new RegExp(`^(?:[a-z0-9-]+\\.)?(?:localhost|${HOST_OF_CONTAINERS.replaceAll('.', '\\.')})$`, 'i')

/** Finds the files, or makes them. @param data data folder of the service */
export async function findCertificates(data: string): Promise<CertificateFiles> {
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
    await chmod(bundle, 0o644) // the user of a container may be any
    await rename(begun, folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error // another process was quicker
    })
  } finally {
    await rm(begun, { recursive: true, force: true })
  }
  return files
}

// Also what this machine trusts beyond that, as where a company has an authority of its own; each once.
function trusted(): readonly string[] {
  const all = [...getCACertificates('extra'), ...getCACertificates('system'), ...rootCertificates]
  return [...new Map(all.map((pem) => [pem.replaceAll(/\s/g, ''), pem.trim()])).values()]
}

/** Names and addresses that the service has on the network; undefined: it is on this machine alone. */
export type NetworkNames = {
  /** Host names, lower case. */
  readonly hosts: ReadonlySet<string>
  /** IP addresses. */
  readonly addresses: readonly string[]
  /** A certificate and its key, as PEM, for every name; undefined: one is signed by the authority of the service. */
  readonly given: CertificatePair | undefined
}

/** A certificate, with those that sign it after it, and its private key; PEM. */
export type CertificatePair = { readonly cert: string; readonly key: string }

/** The certificates of one service. */
export type SecureContexts = {
  /** The context for a name that a client asks for; rejects for one that is not of this service. */
  readonly named: (name: string) => Promise<SecureContext>
  /** For clients that name none, as those do that call an IP address. */
  readonly unnamed: CertificatePair
  /**
   * SHA-256 of the certificate that clients pin: of the last one that is sent, which stays when others are made anew.
   */
  readonly fingerprint: string
}

/**
 * Opens the certificates of a service on the network.
 * @throws Error with a sentence for a certificate that cannot be used
 */
export async function openSecureContexts(data: string, network: NetworkNames): Promise<SecureContexts> {
  const { given, addresses, hosts } = network
  const unnamed = given ?? (await signedPair(data, 'localhost', addresses))
  const context = createSecureContext(unnamed) // says at once what is wrong with it
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

/**
 * Makes what finds the context for a name that a client asks for.
 * @param hosts names beside those that lead to this machine anyway
 * @returns rejects for a name that is not of this machine
 */
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

// Loaded when it is needed: most services never are asked for a certificate.
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
