/**
 * Trust in a service that signs its own certificate: the user compares its fingerprint once, and from then on nothing is
 * sent to a service that cannot show a certificate which that one signed. Source: ours.
 */
import type { RequestOptions } from 'node:https'
import { connect, type DetailedPeerCertificate } from 'node:tls'
import { connectHost } from '../domain/own-addresses.ts'

/** A certificate that a service shows and this machine does not trust by itself. */
export type ShownCertificate = {
  /** PEM. */
  readonly certificate: string
  /** SHA-256, as pairs of hexadecimal digits with colons. */
  readonly fingerprint: string
}

const CONNECT_MS = 10_000

/**
 * Looks at the certificate of a service; nothing is sent to it.
 * @param url https
 * @returns undefined where this machine trusts it anyway; rejects with what ended the connection
 */
export function readCertificate(url: string): Promise<ShownCertificate | undefined> {
  const { hostname, port } = new URL(url)
  const host = connectHost(hostname)
  const servername = /^[\d.]+$|:/.test(host) ? {} : { servername: host }
  return new Promise((resolve, reject) => {
    // Who it is, is what is asked here: the answer is shown to the user, and nothing goes out before.
    const socket = connect({ host, port: Number(port || 443), ...servername, rejectUnauthorized: false }, () => {
      const last = lastOf(socket.getPeerCertificate(true))
      resolve(socket.authorized ? undefined : { certificate: pemOf(last.raw), fingerprint: last.fingerprint256 })
      socket.destroy()
    })
    socket.setTimeout(CONNECT_MS, () => socket.destroy(new Error('it took too long')))
    socket.once('error', reject)
  })
}

/** What a request needs to trust that certificate, and no other. @param certificate PEM */
export function trusting(certificate: string): RequestOptions {
  // Only this service signs with it, so the name that it was reached by says nothing more.
  return { ca: certificate, allowPartialTrustChain: true, checkServerIdentity: () => undefined }
}

function lastOf(certificate: DetailedPeerCertificate): DetailedPeerCertificate {
  const { issuerCertificate: next } = certificate
  const isLast = next === undefined || next.fingerprint256 === certificate.fingerprint256
  return isLast ? certificate : lastOf(next)
}

function pemOf(raw: Buffer): string {
  const lines = raw.toString('base64').match(/.{1,64}/g) ?? []
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
}
