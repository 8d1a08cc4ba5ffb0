import type { ComponentProps } from 'react'

/** Takes the focus, because keys scroll only the focused element. */
export function Scrolling({ label, ...section }: ComponentProps<'section'> & { readonly label: string }) {
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
  return <section {...section} tabIndex={0} aria-label={label} />
}
