// SPDX-License-Identifier: LGPL-2.1-or-later
// Properties of a GObject that are members of a struct. A table of them installs, sets and reads
// them.
#pragma once

#include <gst/gst.h>
#include <gst/tandem/private/ref.h>

#include <string>
#include <type_traits>
#include <variant>

namespace tandem {

/// A property that is a member of `Settings`. The member's initial value is the default.
template <class Settings>
struct Property {
  const char* name;
  const char* nick;
  const char* blurb;
  std::variant<bool Settings::*, int Settings::*, guint Settings::*, gint64 Settings::*,
               guint64 Settings::*, double Settings::*, std::string Settings::*>
      member;
  long double least = 0, most = 0;        ///< range of a number; holds 64-bit integers exactly
  int flags = GST_PARAM_MUTABLE_PLAYING;  ///< besides those of each property
  GType (*enumeration)() = nullptr;       ///< type of an int whose values have names
};

/// The functions of GObject for values of type T.
template <class T>
struct ValueFunctions;
template <auto kGet, auto kSet, auto kSpec>
struct TheseFunctions {
  static constexpr auto get = kGet;
  static constexpr auto set = kSet;
  static constexpr auto spec = kSpec;
};
template <>
struct ValueFunctions<bool>
    : TheseFunctions<g_value_get_boolean, g_value_set_boolean, g_param_spec_boolean> {};
template <>
struct ValueFunctions<int> : TheseFunctions<g_value_get_int, g_value_set_int, g_param_spec_int> {};
template <>
struct ValueFunctions<guint>
    : TheseFunctions<g_value_get_uint, g_value_set_uint, g_param_spec_uint> {};
template <>
struct ValueFunctions<gint64>
    : TheseFunctions<g_value_get_int64, g_value_set_int64, g_param_spec_int64> {};
template <>
struct ValueFunctions<guint64>
    : TheseFunctions<g_value_get_uint64, g_value_set_uint64, g_param_spec_uint64> {};
template <>
struct ValueFunctions<double>
    : TheseFunctions<g_value_get_double, g_value_set_double, g_param_spec_double> {};

/// Calls `use` with the pointer to the member. Types that are larger than the struct are left out:
/// GCC would warn of them, although no member can have them.
template <class Settings, class Use>
void with_member(const Property<Settings>& property, Use&& use) {
  const auto use_fitting = [&]<class T>(T Settings::*member) {
    if constexpr (sizeof(T) <= sizeof(Settings)) use(member);
  };
  std::visit(use_fitting, property.member);
}

/// Sets the member of `property`. A null string is the default.
template <class Settings>
void set_member(const Property<Settings>& property, Settings& settings, const GValue* value) {
  with_member(property, [&]<class T>(T Settings::*member) {
    if constexpr (std::is_same_v<T, std::string>) {
      const gchar* text = g_value_get_string(value);
      static const Settings defaults{};
      settings.*member = text ? text : defaults.*member;
    } else if (std::is_same_v<T, int> && property.enumeration) {
      settings.*member = static_cast<T>(g_value_get_enum(value));
    } else {
      settings.*member = ValueFunctions<T>::get(value);
    }
  });
}

template <class Settings>
void get_member(const Property<Settings>& property, const Settings& settings, GValue* value) {
  with_member(property, [&]<class T>(T Settings::*member) {
    if constexpr (std::is_same_v<T, std::string>) {
      g_value_set_string(value, (settings.*member).c_str());
    } else if (std::is_same_v<T, int> && property.enumeration) {
      g_value_set_enum(value, static_cast<int>(settings.*member));
    } else {
      ValueFunctions<T>::set(value, settings.*member);
    }
  });
}

template <class Settings>
GParamSpec* param_spec(const Property<Settings>& p) {
  const auto flags = static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | p.flags);
  [[maybe_unused]] static const Settings defaults{};
  GParamSpec* spec = nullptr;
  with_member(p, [&]<class T>(T Settings::*member) {
    const T& initial = defaults.*member;
    if constexpr (std::is_same_v<T, std::string>) {
      spec = g_param_spec_string(p.name, p.nick, p.blurb, initial.c_str(), flags);
    } else if constexpr (std::is_same_v<T, bool>) {
      spec = g_param_spec_boolean(p.name, p.nick, p.blurb, initial, flags);
    } else if (p.enumeration) {
      spec = g_param_spec_enum(p.name, p.nick, p.blurb, p.enumeration(), static_cast<int>(initial),
                               flags);
    } else {
      spec = ValueFunctions<T>::spec(p.name, p.nick, p.blurb, static_cast<T>(p.least),
                                     static_cast<T>(p.most), initial, flags);
    }
  });
  return spec;
}

/// Installs the properties of `kTable`, an array, with ids from 1 on. `kSettings` returns the
/// struct in an object, which is read and written under the object lock.
template <const auto& kTable, auto kSettings>
void install_properties(GObjectClass* klass) {
  klass->set_property = [](GObject* object, guint id, const GValue* value, GParamSpec*) {
    const ObjectLock lock(object);
    set_member(kTable[id - 1], kSettings(object), value);
  };
  klass->get_property = [](GObject* object, guint id, GValue* value, GParamSpec*) {
    const ObjectLock lock(object);
    get_member(kTable[id - 1], kSettings(object), value);
  };
  guint id = 0;
  for (const auto& property : kTable)
    g_object_class_install_property(klass, ++id, param_spec(property));
}

}  // namespace tandem
