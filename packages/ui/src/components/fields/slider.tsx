import {
  Slider as AriaSlider,
  type SliderProps as AriaSliderProps,
  SliderFill,
  SliderOutput,
  SliderThumb,
  SliderTrack,
} from 'react-aria-components/Slider'
import { classes } from '../../classes.ts'
import { FieldLabel } from './field-parts.tsx'

export interface SliderProps extends Omit<AriaSliderProps<number>, 'className' | 'children' | 'style'> {
  label: string
  className?: string
}

/** Sets a number by dragging, or with the arrow keys. `formatOptions` formats the value. */
export function Slider({ label, className, ...props }: SliderProps) {
  return (
    <AriaSlider {...props} className={classes('pl-slider', className)}>
      <FieldLabel>{label}</FieldLabel>
      <SliderOutput className="pl-slider-value" />
      <SliderTrack className="pl-slider-track">
        <SliderFill className="pl-slider-fill" />
        <SliderThumb className="pl-slider-thumb" />
      </SliderTrack>
    </AriaSlider>
  )
}
