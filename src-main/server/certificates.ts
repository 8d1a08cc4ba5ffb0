/**
 * Certificates for clients that insist on https, as the platform's package does for load-balanced endpoints. An authority
 * of this service alone is made at the first need, in its data folder; it signs a certificate for each name that a
 * client asks for. Nothing trusts it by itself: a user leads a program to the file with its certificate.
 */
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls'

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
// Names that lead to this machine, whoever looks them up.
const OWN_NAME = /^(?:[a-z0-9-]+\.)?localhost$/i

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
    await writeFile(join(begun, 'bundle.pem'), [cert.trim(), ...rootCertificates, ''].join('\n'), { flush: true })
    await rename(begun, folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error // another process was quicker
    })
  } finally {
    await rm(begun, { recursive: true, force: true })
  }
  return files
}

/**
 * Makes what finds the context for a name that a client asks for.
 * @returns rejects for a name that is not of this machine
 */
export function createSecureContexts(data: string): (name: string) => Promise<SecureContext> {
  const contexts = new Map<string, Promise<SecureContext>>()

  async function make(name: string): Promise<SecureContext> {
    const { authority } = await findCertificates(data)
    const cert = await readFile(authority, 'utf8')
    const key = await readFile(join(data, 'tls', 'authority.key'), 'utf8')
    const leaf = await signed(name, { cert, key })
    return createSecureContext({ cert: `${leaf.cert}\n${cert}`, key: leaf.private })
  }

  return (asked) => {
    const name = asked === '' ? 'localhost' : asked.toLowerCase()
    if (!OWN_NAME.test(name)) return Promise.reject(new Error('not a name of this machine'))
    const context = contexts.get(name) ?? make(name)
    const [oldest] = contexts.keys()
    if (contexts.size >= NAMES_KEPT && oldest !== undefined) contexts.delete(oldest)
    contexts.set(name, context)
    context.catch(() => contexts.delete(name))
    return context
  }
}

// Loaded when it is needed: most services never are asked for a certificate.
async function signed(name: string, ca: { readonly cert: string; readonly key: string } | undefined) {
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
                { type: 7, ip: '127.0.0.1' },
              ],
            },
          ],
    ...(ca === undefined ? {} : { ca }),
  })
}
