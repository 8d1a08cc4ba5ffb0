/** What several nodes of one class have set in common. */
import { sameJson } from '../../../../src-main/domain/workflow/json/value.ts'
import { isDrawn, type NodeView, type WidgetView } from '../../../../src-main/domain/workflow/view/node-view.ts'

/** A widget of all of them. `isSame`: all have its value. */
export type CommonWidget = { readonly widget: WidgetView; readonly isSame: boolean }

/** The widgets that all nodes have; none where they are of several classes. */
export function commonWidgets(views: readonly NodeView[]): readonly CommonWidget[] {
  const [first, ...others] = views
  if (first === undefined) return []
  return first.widgets.flatMap((widget) => {
    if (widget.isLinked || !isDrawn(widget)) return []
    const same = others.map(({ widgets }) =>
      widgets.find(
        ({ name, kind, input, isLinked }) =>
          name === widget.name && kind === widget.kind && input === widget.input && !isLinked,
      ),
    )
    if (widget.input === undefined || same.some((one) => one === undefined)) return []
    return [{ widget, isSame: same.every((one) => sameJson(one?.value, widget.value)) }]
  })
}
