/**
 * The user compares a self-signed certificate's fingerprint once; afterwards only a service with a certificate signed
 * by it gets anything. Source: ours.
 */
import type { RequestOptions } from 'node:https'
import { connect, type DetailedPeerCertificate } from 'node:tls'
import { connectHost } from '../../lib/own-addresses.ts'

export type ShownCertificate = {
  readonly certificate: string
  /** SHA-256, hex pairs separated by colons. */
  readonly fingerprint: string
}

const CONNECT_MS = 10_000

/**
 * Sends no data.
 * @param url https
 * @returns undefined if this machine already trusts the certificate
 */
export function readCertificate(url: string): Promise<ShownCertificate | undefined> {
  const { hostname, port } = new URL(url)
  const host = connectHost(hostname)
  const servername = /^[\d.]+$|:/.test(host) ? {} : { servername: host }
  return new Promise((resolve, reject) => {
    // Verification is off, because the user decides on the certificate, and nothing is sent before that.
    const socket = connect({ host, port: Number(port || 443), ...servername, rejectUnauthorized: false }, () => {
      const last = lastOf(socket.getPeerCertificate(true))
      resolve(socket.authorized ? undefined : { certificate: pemOf(last.raw), fingerprint: last.fingerprint256 })
      socket.destroy()
    })
    socket.setTimeout(CONNECT_MS, () => socket.destroy(new Error('it took too long')))
    socket.once('error', reject)
  })
}

export function trusting(certificate: string): RequestOptions {
  // Only this service signs with it, so the host name adds nothing.
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
