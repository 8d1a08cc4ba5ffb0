/** Decodes percent-encoding; invalid sequences, as in typed names and passwords, stay unchanged. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
