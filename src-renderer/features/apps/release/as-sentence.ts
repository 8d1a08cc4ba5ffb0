/** A reason of the service, which stands after other words there, as a sentence of its own. */
export function asSentence(reason: string): string {
  const text = reason.charAt(0).toUpperCase() + reason.slice(1)
  return /[.!?…]$/.test(text) ? text : `${text}.`
}
