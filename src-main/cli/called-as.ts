import { asCalledBy } from '../domain/called-as.ts'
import { type Caller, calledAs } from '../server/called-as.ts'

/** A hint as the caller can type it. @param text with commands as `drydock deploy` */
export function asCalled(text: string, caller: Caller): string {
  return asCalledBy(text, calledAs(caller))
}
