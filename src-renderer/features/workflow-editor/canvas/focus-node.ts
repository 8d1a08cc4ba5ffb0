/** Gives the focus to a node of the canvas. @returns false where it is not drawn */
export function focusNode(id: string): boolean {
  const selector = `.workflow-canvas .react-flow__node[data-id="${CSS.escape(id)}"]`
  const element = document.querySelector<HTMLElement>(selector)
  element?.focus({ preventScroll: true })
  return element !== null
}
