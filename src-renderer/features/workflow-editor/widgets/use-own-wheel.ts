import { type PointerEvent, useState } from 'react'

/**
 * The wheel over a field of several lines: it moves a text of which only a part is seen. Elsewhere it is the canvas's, which
 * would stand still wherever the pointer happens to be over a prompt.
 * @returns handlers, and the class by which React Flow leaves the wheel to the field
 */
export function useOwnWheel() {
  const [isOwn, setOwn] = useState(false)
  return {
    wheelClass: isOwn && 'nowheel',
    onPointerEnter: ({ currentTarget: { scrollHeight, clientHeight } }: PointerEvent) =>
      setOwn(scrollHeight > clientHeight),
  }
}
