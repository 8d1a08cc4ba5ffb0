/**
 * Turns what a person typed into an FTS5 expression: every word must occur, the last letters of each may be missing.
 * Nothing that was typed is read as syntax.
 * @returns undefined when there is no word in it, so nothing can match
 */
export function matchExpression(typed: string, endpointId: string | undefined): string | undefined {
  const words = typed.match(/[\p{L}\p{N}]+/gu) ?? []
  if (words.length === 0) return undefined
  const text = words.map((word) => `text : "${word}" *`)
  const terms = endpointId === undefined ? text : [`endpoint : "${endpointTerm(endpointId)}"`, ...text]
  return terms.join(' AND ')
}

/** The one word under which an endpoint is indexed: its id in hexadecimal, so that no tokenizer cuts it. */
export function endpointTerm(endpointId: string): string {
  return `e${[...endpointId].map((letter) => letter.charCodeAt(0).toString(16)).join('')}`
}
