import { mount } from '@vue/test-utils';
import { describe, expect, it } from 'vitest';
import { defineComponent, h, ref } from 'vue';
import ErrorBoundary from '../../src/webview/common/texts/ErrorBoundary.vue';

describe('ErrorBoundary', () => {
  it('keeps an error from what is around it, reports it, and shows the part again on demand', async () => {
    const isBroken = ref(true);
    const Fragile = defineComponent(() => () => {
      if (isBroken.value) throw new Error('broken part');
      return h('p', 'whole part');
    });
    const failures: unknown[] = [];
    const wrapper = mount(
      defineComponent(() => () => [
        h(ErrorBoundary, { onFailed: (error: unknown) => failures.push(error) }, { default: () => h(Fragile) }),
        h('p', 'neighbour'),
      ]),
    );
    await wrapper.vm.$nextTick();
    expect(failures).toEqual([new Error('broken part')]);
    expect(wrapper.text()).toContain('Could not show this section');
    expect(wrapper.text()).toContain('neighbour');

    isBroken.value = false;
    await wrapper.get('button').trigger('click');
    expect(wrapper.text()).toContain('whole part');
  });
});
