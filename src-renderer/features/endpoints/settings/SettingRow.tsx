import { Undo2 } from 'lucide-react'
import type { LiveEndpoint } from '../../../../src-main/contract/live.ts'
import { FormRow } from '../../../ui/form/FormRow.tsx'
import { SettingControl } from './SettingControl.tsx'
import type { SettingField } from './setting-field.ts'
import { settingInWords } from './setting-input.ts'
import { shownRaw, valueAt } from './settings-draft.ts'
import type { SettingsForm } from './use-settings.ts'

/** A setting with its way back. */
export type SettingRowProps = {
  readonly endpoint: LiveEndpoint
  readonly field: SettingField
  readonly form: SettingsForm
  readonly readOnly: boolean
}

/** A setting that can be changed, taken back, and seen to have been changed by somebody else. */
export function SettingRow({ endpoint, field, form, readOnly }: SettingRowProps) {
  const { path, label, help, input } = field
  const { draft, read } = form
  const touched = path in draft
  const conflict = read.conflicts[path]
  return (
    <FormRow
      label={label}
      help={help}
      fault={read.faults[path]}
      changed={touched}
      aside={
        touched && (
          <p className="flex flex-wrap items-center gap-x-2 text-small">
            {conflict === undefined ? (
              <span className="text-ink-2">was {settingInWords(input, valueAt(endpoint, path))}</span>
            ) : (
              <span role="alert" className="text-warn-ink">
                Somebody set it to {conflict} meanwhile.
                <Way onClick={() => form.keepMine(path)}>Keep mine</Way>
              </span>
            )}
            <Way onClick={() => form.revert(path)}>
              <Undo2 aria-hidden className="size-3.5" /> {conflict === undefined ? 'Take back' : 'Take theirs'}
              <span className="sr-only"> {label}</span>
            </Way>
          </p>
        )
      }
    >
      {(ids) => (
        <SettingControl
          {...ids}
          input={input}
          raw={shownRaw(field, endpoint, draft)}
          onType={(raw) => form.type(field, raw)}
          disabled={readOnly}
        />
      )}
    </FormRow>
  )
}

function Way({ onClick, children }: { readonly onClick: () => void; readonly children: React.ReactNode }) {
  return (
    <button
      type="button"
      onClick={onClick}
      className="ml-1 inline-flex items-center gap-1 rounded-control text-accent hover:underline"
    >
      {children}
    </button>
  )
}
