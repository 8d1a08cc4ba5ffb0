import { errorCode } from './error-code.ts'

const LOST = 'the connection was lost'
const TOO_LONG = 'it took too long to answer'
const NO_WAY = 'the host cannot be reached. Check the connection'
const UNTRUSTED = 'its certificate is not trusted'

// Error codes with their reasons. Source: nodejs.org, `errors` and `tls`; undici.nodejs.org, `errors`.
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: LOST,
  EPIPE: LOST,
  UND_ERR_SOCKET: LOST,
  ETIMEDOUT: TOO_LONG,
  UND_ERR_CONNECT_TIMEOUT: TOO_LONG,
  UND_ERR_HEADERS_TIMEOUT: TOO_LONG,
  UND_ERR_BODY_TIMEOUT: TOO_LONG,
  EHOSTUNREACH: NO_WAY,
  ENETUNREACH: NO_WAY,
  ENETDOWN: NO_WAY,
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet. Check the clocks',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
}

/** Why a request had no response: the end of a sentence without full stop. */
export function networkReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = errorCode(error)
  const host = 'hostname' in error ? String(error.hostname) : 'the host'
  if (code === 'ENOTFOUND') return `cannot find ${host}. Check the connection`
  if (code === 'EAI_AGAIN') return `cannot look up ${host}. Check the connection`
  const known = REASONS[code] ?? (code.startsWith('CERT_') ? UNTRUSTED : undefined)
  if (known !== undefined) return known
  // fetch's error only says that it failed; its cause says why.
  if (error instanceof TypeError && error.cause instanceof Error) return networkReason(error.cause)
  if (error instanceof AggregateError && error.message === '') return networkReason(error.errors[0])
  return error.message === '' ? code : error.message
}
