/** What is wrong with the value of a widget, in the place where it is set. */

import type { InputType } from '../../../../src-main/domain/workflow/input-type.ts'
import type { JsonValue } from '../../../../src-main/domain/workflow/json/value.ts'
import { checkValue } from '../../../../src-main/domain/workflow/validate/check-value.ts'
import { offStep } from './exact-number.ts'

/** A fault of a value. One that is no error is sent all the same. */
export type WidgetFault = { readonly text: string; readonly isError: boolean }

/** Checks the value of a widget; undefined where there is nothing to say. */
export function widgetFault(value: JsonValue | undefined, input: InputType): WidgetFault | undefined {
  if (value === undefined) return undefined
  const fault = checkValue(input, value)
  if (fault !== undefined) return { text: sentence(fault.says), isError: true }
  const nearest = offStep(value, input)
  if (nearest === undefined) return undefined
  return { text: `Its node counts in steps: ${nearest.join(' or ')} fits.`, isError: false }
}

const sentence = (says: string) => `${says.charAt(0).toUpperCase()}${says.slice(1)}.`
