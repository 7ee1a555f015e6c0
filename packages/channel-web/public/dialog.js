/** One question at a time, in a modal dialog: the browser keeps the focus inside, and Esc means no. */

/**
 * Asks. `choices` are check boxes `{ value, label, checked }`. Resolves with undefined for no, else with the values that were checked.
 */
export function ask(dialog, { title, text, confirm, choices = [] }) {
  const find = (name) => dialog.querySelector(`[data-part="${name}"]`);
  find("title").textContent = title;
  find("text").textContent = text;
  find("confirm").textContent = confirm;
  find("choices").replaceChildren(...choices.map(choiceElement));
  dialog.returnValue = "";
  dialog.showModal();
  find("cancel").focus();
  return new Promise((resolve) => {
    const closed = () => {
      const values = [...dialog.querySelectorAll("input:checked")].map((input) => input.value);
      resolve(dialog.returnValue === "yes" ? values : undefined);
    };
    dialog.addEventListener("close", closed, { once: true });
  });
}

function choiceElement({ value, label, checked }) {
  const element = document.createElement("label");
  element.className = "choice";
  const input = document.createElement("input");
  input.type = "checkbox";
  input.value = value;
  input.checked = checked;
  element.append(input, label);
  return element;
}
