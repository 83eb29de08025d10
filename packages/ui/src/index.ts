export { classes } from './classes.ts'
export { Button, type ButtonProps } from './components/actions/button.tsx'
export { IconButton, type IconButtonProps } from './components/actions/icon-button.tsx'
export {
  ToggleButton,
  ToggleButtonGroup,
  type ToggleButtonGroupProps,
  type ToggleButtonProps,
} from './components/actions/toggle-button.tsx'
export { ToolBar, ToolBarGap, type ToolBarProps } from './components/actions/tool-bar.tsx'
export { Checkbox, type CheckboxProps } from './components/fields/checkbox.tsx'
export type { Choice } from './components/fields/choice.ts'
export { ComboBox, type ComboBoxProps } from './components/fields/combo-box.tsx'
export type { FieldTexts } from './components/fields/field-parts.tsx'
export { NativeSelect, type NativeSelectProps } from './components/fields/native-select.tsx'
export { NumberField, type NumberFieldProps, useSelectOnFocus } from './components/fields/number-field.tsx'
export { Select, type SelectProps } from './components/fields/select.tsx'
export { Slider, type SliderProps } from './components/fields/slider.tsx'
export { Switch, type SwitchProps } from './components/fields/switch.tsx'
export { TextField, type TextFieldProps } from './components/fields/text-field.tsx'
export { Icon, type IconName, type IconProps } from './components/icon/icon.tsx'
export { AlertDialog, type AlertDialogProps } from './components/overlays/alert-dialog.tsx'
export { Dialog, type DialogProps } from './components/overlays/dialog.tsx'
export { Menu, type MenuAction, type MenuProps } from './components/overlays/menu.tsx'
export {
  OverlayContainer,
  type OverlayContainerProps,
  supportShadowRoots,
} from './components/overlays/overlay-container.tsx'
export { Popover, type PopoverProps } from './components/overlays/popover.tsx'
export { Tooltip, type TooltipProps } from './components/overlays/tooltip.tsx'
export { Banner, type BannerProps } from './components/status/banner.tsx'
export { EmptyState, type EmptyStateProps } from './components/status/empty-state.tsx'
export { createNoticeQueue, type NewNotice, type Notice, type NoticeQueue } from './components/status/notice-queue.ts'
export { Notices, type NoticesProps } from './components/status/notices.tsx'
export { ProgressBar, type ProgressBarProps } from './components/status/progress-bar.tsx'
export { Skeleton } from './components/status/skeleton.tsx'
export { type TabItem, Tabs, type TabsProps } from './components/tabs.tsx'
export { CONSOLE_MESSAGES } from './i18n/console-messages.ts'
export { minorDigits } from './i18n/currencies.ts'
export { createFormats, type Formats, type Money } from './i18n/formats.ts'
export { chooseLanguage } from './i18n/languages.ts'
export { addMessages, LANGUAGES, type MessageGroup, type MessageKey } from './i18n/messages.ts'
export { sideName } from './i18n/side-name.ts'
export {
  TextProvider,
  type TextProviderProps,
  type Texts,
  useLoadedTexts,
  useText,
  useTexts,
} from './i18n/text-provider.tsx'
export { createTranslator, type Messages, type MessageValues, type Translator } from './i18n/translator.ts'
export { isWebLink, readMarkdown } from './markdown/read-markdown.ts'
