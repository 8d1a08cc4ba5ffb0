import type { IncomingMessage } from 'node:http'

// Bytes that Node can write in a status line; its parser accepts others.
const REASON_PHRASE = /^[\t\x20-\x7e\x80-\xff]*$/

/**
 * Validates the head of a worker's response. Otherwise writeHead() would throw halfway, and the client would receive
 * neither the response nor an error.
 * @param lowestStatus 101 for an upgrade request, otherwise 200
 * @throws Error with the reason
 */
export function checkHead({ statusCode = 0, statusMessage = '' }: IncomingMessage, lowestStatus: 101 | 200): void {
  if (statusCode < lowestStatus) throw new Error(`its status is ${statusCode}`)
  if (!REASON_PHRASE.test(statusMessage)) throw new Error('its status line contains control characters')
}
