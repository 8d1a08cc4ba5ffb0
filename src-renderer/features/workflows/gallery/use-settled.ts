import { useEffect, useState } from 'react'
import { useApp } from '../../../store/app-context.ts'

/** A value once it has stayed the same for a while, like what is typed into a search. */
export function useSettled<Value>(value: Value, pauseMs: number): Value {
  const { platform } = useApp()
  const [settled, setSettled] = useState(value)
  useEffect(() => platform.after(pauseMs, () => setSettled(value)), [platform, value, pauseMs])
  return settled
}
